// Lets Node find the modules of the page, whose imports have no endings. A worker is what the test says that it is,
// and files have no address.
import { registerHooks } from "node:module";

const WORKER = "data:text/javascript,export default class { constructor() { return globalThis.startWorker(); } }";

registerHooks({
  resolve: (name, context, next) => {
    if (name.endsWith("?worker&inline")) return { url: WORKER, shortCircuit: true };
    if (name.endsWith("?url")) return { url: "data:text/javascript,export default ''", shortCircuit: true };
    return next(/^\.\.?\/[^.]*$/.test(name) ? `${name}.ts` : name, context);
  },
});
