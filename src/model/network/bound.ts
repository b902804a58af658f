import type { Bound } from "../../types.ts";
import { exactNetwork, type NetworkInside } from "./exact.ts";
import { headsOf, type Layers } from "./layers.ts";
import { networkRange } from "./range.ts";

/** Bounds of the outputs of a network. */
export function networkBounds(
  net: Layers,
  outputs: number,
  link: "logistic" | "identity" | "softmax",
): (output: number) => Bound | undefined {
  const rest = { link, ...(net.single ? { single: true } : {}) };
  const insides = headsOf(net.layers.at(-1)!.units, outputs, link).map(
    (head): NetworkInside => ({ kind: "network", net, head, ...rest }),
  );
  return (output) => {
    const inside = insides[output];
    return (
      inside && {
        ...rest,
        range: (box) => networkRange(net, inside.head, box),
        exact: (question) => exactNetwork(question, insides),
      }
    );
  };
}
