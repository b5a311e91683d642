/** A number of things, such as "1 trick" or "2 tricks". */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
