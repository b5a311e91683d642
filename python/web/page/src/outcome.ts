import { factOf, ofSeats } from "./facts";
import { seatInSentence } from "./names";
import type { Table } from "./protocol";
import { counted, signed } from "./words";

/** The end of a game for a person. */
export type Verdict = "won" | "drawn" | "lost";

export function verdictOf(returns: number[], you: number): Verdict {
  const best = Math.max(...returns);
  if ((returns[you] ?? 0) < best) return "lost";
  return returns.every((value) => value === best) ? "drawn" : "won";
}

const BEGINNING: Record<Verdict, string> = { won: "You win", drawn: "A draw,", lost: "You lose" };

/** The end of a game in words, such as "You win 3 to 1: more tricks, 6 to 4, after your attack." */
export function outcomeInWords(game: string, table: Table, you: number): string {
  const returns = table.returns ?? [];
  const verdict = verdictOf(returns, you);
  const told =
    game === "schwinget"
      ? ofBout(table, you, verdict)
      : game === "schweins_galopp"
        ? list(table, "banked", you, (value) => `${value} food`)
        : game === "up_and_down"
          ? list(table, "scores", you, (value) => counted(value, "trick"))
          : game === "schwimmen"
            ? ofHands(table, you)
            : null;
  if (told === null) return resultInWords(returns, you);
  const isShared =
    verdict === "won" && game !== "schwimmen" && returns.filter((value) => value === returns[you]).length > 1;
  return `${isShared ? "You share first place" : BEGINNING[verdict]}${told}.`;
}

/** The result of a game, such as "You win: you +3, the opponent −3." */
export function resultInWords(returns: number[], you: number | null | undefined): string {
  const ending = { won: "You win", drawn: "A draw", lost: "You lose" };
  const verdict = you == null ? "The game is over" : ending[verdictOf(returns, you)];
  const all = returns.map((value, seat) => `${seatInSentence(seat, you, returns.length)} ${signed(value)}`);
  return `${verdict}: ${all.join(", ")}.`;
}

/** The numbers of all players, the person's first. */
function list(table: Table, name: "banked" | "scores", you: number, inWords: (value: number) => string): string | null {
  const values = ofSeats(table, name);
  if (!values) return null;
  const others = values.flatMap((value, seat) =>
    seat === you ? [] : [`${seatInSentence(seat, you, values.length)} ${value}`],
  );
  return `: ${inWords(Number(values[you]))}, ${others.join(", ")}`;
}

function ofHands(table: Table, you: number): string | null {
  const values = ofSeats(table, "worth");
  if (!values || values.includes(null)) return null;
  const others = values.flatMap((value, seat) =>
    seat === you ? [] : [`${seatInSentence(seat, you, values.length)} ${value}`],
  );
  return `: your hand is worth ${values[you]}, ${others.join(", ")}; the lowest loses`;
}

/** The reason for the score of a bout of Schwinget, where its points tell it: see the rules. */
function ofBout(table: Table, you: number, verdict: Verdict): string | null {
  const [scores, tricks] = [ofSeats(table, "scores"), ofSeats(table, "tricks")];
  const other = 1 - you;
  if (!scores || !tricks) return null;
  const score = ` ${scores[you]} to ${scores[other]}`;
  const attacker = factOf(table, "attacker");
  if (factOf(table, "bout") !== 1) return score;
  const attack = attacker === you ? "your attack" : "the opponent's attack";
  const after = attacker === null ? "" : `, after ${attack}`;
  if (verdict === "drawn") return `${score}: ${counted(Number(tricks[you]), "trick")} each${after}`;
  const winner = verdict === "won" ? you : other;
  const best = scores[winner] ?? 0;
  if (best === 7 || best === 5) {
    const name = winner === you ? "you" : "the opponent";
    const whose = attacker === winner && winner !== you ? "its attack" : attack;
    return `${score}: ${name} won every trick after ${whose} (a flat throw)`;
  }
  if (best !== 3 && best !== 2) return score;
  return `${score}: ${winner === you ? "more" : "fewer"} tricks, ${tricks[you]} to ${tricks[other]}${after}`;
}
