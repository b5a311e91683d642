/** A number of things, such as "1 trick" or "2 tricks". */
export function counted(count: number, thing: string): string {
  return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}

/** A value with its sign, with this number of decimal places or at most three. */
export function signed(value: number, places?: number): string {
  const size = places === undefined ? String(Number(Math.abs(value).toFixed(3))) : Math.abs(value).toFixed(places);
  return `${Number(size) === 0 ? "" : value < 0 ? "−" : "+"}${size}`;
}
