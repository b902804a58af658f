import type { Feature, Kind, Schema } from "../types.ts";

/** Names under which protected attributes usually stand. */
const PROTECTED =
  /^((person|applicant|customer|client|patient)[_\s.-])?(age([_\s.-]?(cat|category|group|band|bucket|years|in[_\s.-]years))?|(personal[_\s.-]status[_\s.-](and[_\s.-])?)?(sex|gender)|race|ethnic(ity|[_\s.-]?(group|origin))|nationality|citizenship|native[_\s.-]country|religion|marital([_\s.-]?status)?|date[_\s.-]?of[_\s.-]?birth|dob|birth[_\s.-]?date|birth[_\s.-]?year|disability|pregnan.*)$/i;
/** Where somebody or their family is from, and what else laws on credit, work and housing name. */
const PROTECTED_FURTHER =
  /^(is[_\s.-]|has[_\s.-])?((person|applicant|customer|client|patient)[_\s.-])?(national[_\s.-]?origin|(country|place)[_\s.-]?of[_\s.-]?(birth|origin)|birth[_\s.-]?(country|place)|foreign[_\s.-]?worker|immigrant|immigration[_\s.-]?status|skin[_\s.-]?colou?r|sexual[_\s.-]?(orientation|identity)|gender[_\s.-]?identity|(civil|family|familial)[_\s.-]?status|married|veteran([_\s.-]?status)?|disabled|handicap(ped)?|public[_\s.-]?assistance|migrationshintergrund|verheiratet)$/i;
/** The same in German, umlauts also written out. */
const PROTECTED_GERMAN =
  /^((person|antragsteller(in)?|kunden?|kundin|patient(in)?)[_\s.-])?((lebens)?alter([_\s.-]?(in[_\s.-]jahren|jahre))?|alters(gruppe|klasse)|geburts(datum|jahr|tag|land|ort)|geschlecht|familienstand|staats(angeh(ö|oe)rigkeit|b(ü|ue)rgerschaft)|nationalit(ä|ae)t|(herkunfts|heimat)land|(ethnische[_\s.-])?herkunft|ethnie|hautfarbe|rasse|religion(szugeh(ö|oe)rigkeit)?|konfession|(schwer)?behinder(ung|t)|schwanger(schaft)?|weltanschauung|sexuelle[_\s.-](orientierung|identit(ä|ae)t))$/i;
/** The one indicator column that is left of a protected attribute of two levels. */
const PROTECTED_FLAG =
  /^(sex|gender|race|ethnicity|religion|nationality|marital([_\s.-]?status)?|geschlecht|familienstand|konfession|nationalit(ä|ae)t|staatsangeh(ö|oe)rigkeit)[_=.[]/i;
/** What a column transformer puts before a name. */
const PREFIX = /^[a-z]+__/i;

/** Does a column of this name usually hold a protected attribute? */
export function isProtected(name: string, kind: Kind): boolean {
  const plain = name.replace(PREFIX, "").normalize("NFC");
  return (
    PROTECTED.test(plain) ||
    PROTECTED_FURTHER.test(plain) ||
    PROTECTED_GERMAN.test(plain) ||
    (kind === "boolean" && PROTECTED_FLAG.test(plain))
  );
}

/** The features that are protected attributes, by name or label. */
export function protectedFeatures({ features }: Schema): Feature[] {
  return features.filter(
    ({ name, label, kind }) => isProtected(name, kind) || (label !== undefined && isProtected(label, kind)),
  );
}
