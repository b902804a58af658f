import type { DataWords } from "./contract.ts";

/** The embedded loan applications in German. */
export const deLoans: DataWords = {
  labels: {
    Age: "Alter",
    Income: "Einkommen",
    Debt: "Schulden",
    "Amount asked": "Gewünschter Betrag",
    Duration: "Laufzeit",
    "Years employed": "Berufsjahre",
    Education: "Bildung",
    Housing: "Wohnen",
    Purpose: "Zweck",
    Savings: "Ersparnisse",
    Guarantor: "Bürgschaft",
  },
  units: { years: "Jahre", months: "Monate", k: "Tsd.", "k per year": "Tsd. im Jahr" },
  levels: {
    none: "keine",
    school: "Schule",
    vocational: "Berufsausbildung",
    bachelor: "Bachelor",
    master: "Master",
    rent: "zur Miete",
    own: "im Eigentum",
    family: "bei der Familie",
    car: "Auto",
    home: "Wohnung",
    business: "Geschäft",
    study: "Studium",
    other: "anderer",
    little: "wenig",
    some: "einige",
    ample: "reichlich",
    refused: "abgelehnt",
    granted: "bewilligt",
  },
};
