/** A number of things, such as "1 trick" or "2 tricks". */
export function counted(count: number, thing: string): string {
  return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}

/** A value with its sign, with this number of decimal places or at most three. */
export function signed(value: number, places?: number): string {
  const size = places === undefined ? String(Number(Math.abs(value).toFixed(3))) : Math.abs(value).toFixed(places);
  return `${Number(size) === 0 ? "" : value < 0 ? "−" : "+"}${size}`;
}

/** A value with its sign and its interval, such as "+0.42 ± 0.10". */
export function measured(value: number, ci95: number | null = null): string {
  return `${signed(value, 2)}${interval(ci95)}`;
}

/**
 * Half the width of a 95 % interval, such as " ± 0.10", rounded up if it is small. Nothing if it is not known, or 0:
 * what is the same in all searches tells nothing about the others.
 */
export function interval(ci95: number | null): string {
  return ci95 ? ` ± ${Math.max(0.01, ci95).toFixed(2)}` : "";
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
