import { expect, test } from "vitest";
import { finish, type Steps } from "../../src/model/steps.ts";
import { matrix } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { logisticSteps } from "../../src/train/logistic.ts";
import { qdaSteps } from "../../src/train/qda.ts";
import { svmSteps } from "../../src/train/svm.ts";

const [rows, cols] = [2000, 120] as const;
const random = stream(0, "wide");
const x = matrix(
  rows,
  cols,
  Float64Array.from({ length: rows * cols }, () => random.normal()),
);
const y = Int32Array.from({ length: rows }, (_, i) => Number(x.data[i * cols]! + random.normal() > 0));

/** One pass over the rows is rows · cols² operations; each few million are a step of their own. */
function pausesWithinAPass(train: () => Steps<unknown>): void {
  let steps = 0;
  const running = train();
  while (!running.next().done) steps++;
  expect(steps).toBeGreaterThan((rows * cols ** 2) / 2 ** 23);
}

test.each([
  ["logistic", () => logisticSteps(x, y)],
  ["svm", () => svmSteps(x, y, { folds: 2 })],
  ["qda", () => qdaSteps(x, y)],
] as const)("%s: training on many columns can be stopped within a pass", (_, train) => {
  pausesWithinAPass(train);
});

test("kills training in one go", () => {
  function* atOnce(): Steps<unknown> {
    yield [0, 1];
    return finish(qdaSteps(x, y));
  }
  expect(() => pausesWithinAPass(atOnce)).toThrow();
});
