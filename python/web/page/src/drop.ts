import { errorInWords, h } from "./dom";
import { reviewLink } from "./link";
import { readRecord } from "./record";

/** Opens the review of a record whose file is dropped on any view. Why another file is refused stands above the view. */
export function takeRecords(root: HTMLElement): void {
  const said = h("p", { class: "error", role: "alert" });
  addEventListener("drop", (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    said.textContent = "";
    readRecord(file).then(
      (record) => location.assign(reviewLink(record, 0)),
      (error: unknown) => {
        root.prepend(said);
        said.textContent = errorInWords(error);
      },
    );
  });
}
