/** More characters than any record has. */
export const LONGEST = 1_000_000;
/** The word with which the first line begins. */
const FIRST = /^\s*stier-record\b/;

/** Throws an error if a text is too long to be a record. */
export function checkRecord(text: string): void {
  if (text.length > LONGEST) throw new Error(`a record has at most ${LONGEST.toLocaleString("en")} characters`);
}

/** The record in a file. Of any other file no more than the beginning is read. */
export async function readRecord(file: File): Promise<string> {
  const beginning = await file.slice(0, 100).text();
  if (!FIRST.test(beginning)) throw new Error(`${file.name} is not a record: its first line must be stier-record 1`);
  if (file.size > LONGEST) throw new Error(`${file.name} is not a record: it has ${(file.size / 1e6).toFixed(1)} MB`);
  return file.text();
}
