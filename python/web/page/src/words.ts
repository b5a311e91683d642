/** A number of things, such as "1 trick" or "2 tricks". */
export function counted(count: number, thing: string): string {
  return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}

/** A value with its sign, with this number of decimal places or at most three. */
export function signed(value: number, places?: number): string {
  const size = places === undefined ? String(Number(Math.abs(value).toFixed(3))) : Math.abs(value).toFixed(places);
  return `${Number(size) === 0 ? "" : value < 0 ? "−" : "+"}${size}`;
}

/** A share that differs by less from 0 or 1 is 0 or 1, rounded. */
const ROUNDING = 1e-6;

/** A share in percent, without the sign. Only the impossible is 0, and only the certain is 100. */
export function inPercent(share: number, places = 0): string {
  const size = Number((100 * share).toFixed(places));
  const step = 10 ** -places;
  if (size === 0 && share > ROUNDING) return `<${step}`;
  if (size === 100 && share < 1 - ROUNDING) return `>${100 - step}`;
  return String(size);
}

/** The same with the sign, more exact near 0 and 100. */
export function percent(share: number): string {
  return `${inPercent(share, share < 0.1 || share > 0.99 ? 1 : 0)} %`;
}
