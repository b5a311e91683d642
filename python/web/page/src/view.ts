import type { EngineClient } from "./engine";
import type { Route } from "./link";

/** A view of the page. Its constructor draws what stays. */
export interface View {
  /** Shows the place that the address names. */
  open(route: Route): void | Promise<void>;
  /** Ends all that the view has begun. */
  close(): void;
}

/** What makes a view in an element of the page. */
export type ViewClass = new (root: HTMLElement, engine: EngineClient, route: Route) => View;
