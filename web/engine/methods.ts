/** A way to go from counterfactuals to edits, for the comparison. */
interface Method {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  /** Named as in the paper, where it is one of its methods. */
  readonly paper?: string;
  readonly coupling: string;
  readonly policy: string;
  readonly value?: "average";
  /** Attributions compare with rows of the table (RB) rather than with the counterfactuals (CF). */
  readonly background?: true;
}

/**
 * Couplings and policies side by side. All start from the same counterfactuals, one per person, and the same goal.
 * The paper's methods draw edits in proportion to |φ| (policy `sample`, Algorithm 1).
 */
export const methods: readonly Method[] = [
  {
    id: "minimal",
    title: "Smallest set within its counterfactual",
    note: "as few values of one counterfactual per person as reach the goal",
    coupling: "match",
    policy: "minimal",
  },
  {
    id: "transport-greedy",
    title: "Transport, greedy",
    note: "largest attribution first, edits that are not needed taken back",
    coupling: "transport",
    policy: "greedy",
  },
  {
    id: "transport-sample",
    title: "Transport, drawn",
    note: "optimal transport, edits drawn by attribution",
    paper: "CF-p_OT (COLA)",
    coupling: "transport",
    policy: "sample",
  },
  {
    id: "uniform-sample",
    title: "Uniform, drawn",
    note: "every person with every counterfactual",
    paper: "CF-p_Uni",
    coupling: "uniform",
    policy: "sample",
    value: "average",
  },
  {
    id: "random-sample",
    title: "Random, drawn",
    note: "a random counterfactual per person",
    paper: "CF-p_Rnd",
    coupling: "random",
    policy: "sample",
  },
  {
    id: "exact-sample",
    title: "Known pairs, drawn",
    note: "each person with the counterfactual made for them",
    paper: "CF-p_Ect",
    coupling: "exact",
    policy: "sample",
  },
  {
    id: "background-uniform",
    title: "Uniform, drawn by rows of the table",
    note: "attributions against rows of the table, not the counterfactuals",
    paper: "RB-p_Uni",
    coupling: "uniform",
    policy: "sample",
    value: "average",
    background: true,
  },
  {
    id: "background-transport",
    title: "Transport, drawn by rows of the table",
    note: "the same with optimal transport",
    paper: "RB-p_OT",
    coupling: "transport",
    policy: "sample",
    background: true,
  },
  {
    id: "nearest-greedy",
    title: "Nearest, greedy",
    note: "the nearest counterfactual, largest attribution first",
    coupling: "nearest",
    policy: "greedy",
  },
];
