import { faceInWords } from "./cards";
import { h, s } from "./dom";
import type { Face, Scene } from "./protocol";

/** A closed track: spaces along an oval, from the upper left, clockwise. */
export function drawTrack(scene: Scene, faces: Record<string, Face>): HTMLElement {
  const pitch = 35;
  const around = pitch * scene.track.length;
  const radius = Math.min(46, around / (2 * Math.PI));
  const straight = around / 2 - Math.PI * radius;
  const spaces = scene.track.map(({ piece, food }, index) => {
    const [x, y] = onOval(pitch * index, straight, radius);
    const face = piece === null ? undefined : faces[piece];
    const inside = face
      ? [s("circle", { r: 15.5 }), s("text", { y: 5 }, face.rank)]
      : [s("circle", { r: 14 }), food ? s("circle", { r: 6, class: "food" }) : s("text", { y: 4 }, index)];
    const style = face ? `space hue-${face.hue}` : "space free";
    return s(
      "g",
      {
        class: style,
        "data-key": piece && `on the track: ${piece}`,
        transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      },
      ...inside,
    );
  });
  const box = `${-radius - 20} -20 ${straight + 2 * radius + 40} ${2 * radius + 40}`;
  const picture = s("svg", { viewBox: box, role: "img", "aria-label": trackInWords(scene, faces) }, ...spaces);
  // On a narrow screen it scrolls.
  return h("div", { class: "way", tabindex: 0, role: "group", "aria-label": "track" }, picture);
}

function trackInWords({ track }: Scene, faces: Record<string, Face>): string {
  const pieces = track.flatMap(({ piece }, index) => {
    const face = piece === null ? undefined : faces[piece];
    return face ? [`${faceInWords(face)} on ${index}`] : [];
  });
  const food = track.flatMap((space, index) => (space.food ? [index] : []));
  const tail = food.length > 0 ? `; food on ${food.join(", ")}` : "";
  return `Track of ${track.length} spaces: ${pieces.join(", ")}${tail}`;
}

/** A point of an oval, at this distance from the upper left end of its straight, clockwise. */
function onOval(way: number, straight: number, radius: number): [number, number] {
  const bend = Math.PI * radius;
  if (way < straight) return [way, 0];
  if (way < straight + bend) {
    const angle = (way - straight) / radius;
    return [straight + radius * Math.sin(angle), radius - radius * Math.cos(angle)];
  }
  if (way < 2 * straight + bend) return [2 * straight + bend - way, 2 * radius];
  const angle = (way - 2 * straight - bend) / radius;
  return [-radius * Math.sin(angle), radius + radius * Math.cos(angle)];
}
