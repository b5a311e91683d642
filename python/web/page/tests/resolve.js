// Lets Node find the modules of the page, whose imports have no endings.
import { registerHooks } from "node:module";

registerHooks({
  resolve: (name, context, next) => next(/^\.\.?\/[^.]*$/.test(name) ? `${name}.ts` : name, context),
});
