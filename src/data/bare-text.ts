/** A text without what people mistype: case, accents' forms, blanks, hyphens and underscores. */
export const bare = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]+/g, "");
