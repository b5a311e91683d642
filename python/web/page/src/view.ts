import type { EngineClient } from "./engine";
import type { Route } from "./link";

/** A view of the page, which its constructor draws, at the place that the address names. */
export interface View {
  /** Ends all that the view has begun. */
  close(): void;
}

/** A class of views: each is made in an element of the page. */
export type ViewClass = new (root: HTMLElement, engine: EngineClient, route: Route) => View;
