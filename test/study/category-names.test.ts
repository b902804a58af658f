import { describe, expect, test } from "vitest";
import { loadModel } from "../../src/read/load.ts";
import type { Cell, Table } from "../../src/types.ts";
import { dataOf } from "../../study/data.ts";
import { modelOf, readBy, readModelSource } from "../../study/model.ts";

const NAMES = ["north", "east", "south"];

/** XGBoost's layout for columns of categories: the names' bytes one after another, and where they end. */
const text = (names: readonly string[]) => ({
  offsets: [0, ...names.map((_, k) => names.slice(0, k + 1).join("").length)],
  values: [...new TextEncoder().encode(names.join(""))].map((byte) => (byte << 24) >> 24),
});
const NUMBERS = { offsets: [], values: [] };

/** Category 2 of `town` is granted, all others are not. */
const xgboost = (cats: readonly object[] | undefined): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      learner: {
        attributes: {},
        feature_names: ["town", "income"],
        feature_types: ["c", "float"],
        gradient_booster: {
          name: "gbtree",
          model: {
            ...(cats ? { cats: { enc: cats, feature_segments: [], sorted_idx: [] } } : {}),
            gbtree_model_param: { num_parallel_tree: "1", num_trees: "1" },
            tree_info: [0],
            trees: [
              {
                left_children: [1, -1, -1],
                right_children: [2, -1, -1],
                split_indices: [0, 0, 0],
                split_conditions: [0, -2, 2],
                default_left: [1, 0, 0],
                split_type: [1, 0, 0],
                categories: [2],
                categories_nodes: [0],
                categories_segments: [0],
                categories_sizes: [1],
                tree_param: { num_nodes: "3" },
              },
            ],
          },
        },
        learner_model_param: { base_score: "5E-1", num_class: "0", num_feature: "2", num_target: "1" },
        objective: { name: "binary:logistic" },
      },
    }),
  );

const lightgbm = (pandas: string, input = "town", declared = ""): Uint8Array =>
  new TextEncoder().encode(`tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=binary sigmoid:1
feature_names=${input} income
feature_infos=0:1:2 [0:100]

Tree=0
num_leaves=2
num_cat=1
split_feature=0
threshold=0
decision_type=1
left_child=-1
right_child=-2
leaf_value=2 -2
cat_boundaries=0 1
cat_threshold=4
is_linear=0
shrinkage=1


end of trees

parameters:
${declared}
end of parameters

pandas_categorical:${pandas}
`);

const rows = (town: readonly Cell[], name = "town"): Table => ({
  names: [name, "income"],
  columns: [[...town], town.map((_, i) => 10 + i)],
  rows: town.length,
});

async function scored(bytes: Uint8Array, table: Table, more: object = {}) {
  const model = await readModelSource("model.file", bytes);
  const parts = { table: { source: "rows", table }, ...readBy(model), options: {}, ...more };
  const data = dataOf(parts);
  const bound = await modelOf({ model }, data, {});
  const scores = await bound.model.predict(data.rows, 1);
  const notes = data.notes.map(({ code }) => code);
  return { granted: Array.from(scores, (score) => score > 0.5), notes, data };
}

const files = {
  XGBoost: xgboost([text(NAMES), NUMBERS]),
  LightGBM: lightgbm(JSON.stringify([NAMES])),
};

describe.each(Object.entries(files))("names of categories in a file of %s", (_, bytes) => {
  test("are the levels, in the file's order, of rows that lack some", async () => {
    const { granted, notes, data } = await scored(bytes, rows(["south", "north"]));
    expect(granted).toEqual([true, false]);
    expect(data.schema.features[0]).toMatchObject({
      kind: "categorical",
      categories: ["east", "north", "south"],
    });
    expect(notes).not.toContain("levelUnknown");
    expect(notes).not.toContain("levelsByPlace");
  });

  test("hold for one row", async () => {
    expect((await scored(bytes, rows(["south"]))).granted).toEqual([true]);
    expect((await scored(bytes, rows(["east"]))).granted).toEqual([false]);
  });

  test("tell a level that is none of them, by row; it is missing to the model, and no edit leads to it", async () => {
    const { granted, data } = await scored(bytes, rows(["south", "abroad"]));
    expect(granted).toEqual([true, false]);
    expect(data.notes.find(({ code }) => code === "levelUnknown")?.toString()).toBe(
      'town of row 1 ("abroad") is a level the model\'s inputs do not have (north, east, south), so the model reads it as none of these; correct the cells, say what these levels are to the model (options.encoding), or leave these rows out.',
    );
    expect(data.schema.features[0]!.allowed).toEqual(NAMES);
  });

  test("are kept where the model is saved and loaded", async () => {
    const { content } = await readModelSource("model.file", bytes);
    const again = loadModel(JSON.parse(JSON.stringify(content.model.toJSON!())));
    expect(again.categoryNames).toEqual([NAMES, undefined]);
  });
});

describe("categories that are whole numbers", () => {
  const cells = [30, 10];
  test.each([
    ["XGBoost", xgboost([{ type: 15, values: [10, 20, 30] }, NUMBERS])],
    ["LightGBM, which writes 10.0", lightgbm("[[10.0, 20.0, 30.0]]")],
  ])("of %s are found by their number, as 10.0 too", async (_, bytes) => {
    expect((await scored(bytes, rows(cells))).granted).toEqual([true, false]);
    expect((await scored(bytes, rows(["30.0", "10.0", null]))).granted).toEqual([true, false, false]);
  });

  test("true and false are written in any case", async () => {
    const bytes = lightgbm('[[false, "", true]]');
    const { granted, data } = await scored(bytes, rows(["True", "False"]));
    expect(granted).toEqual([true, false]);
    expect(data.schema.features[0]!.categories).toEqual(["false", "true"]);
  });

  test("a schema that calls them numbers gets the same codes", async () => {
    const schema = {
      features: [
        { name: "town", kind: "integer" },
        { name: "income", kind: "numeric" },
      ],
    };
    expect((await scored(lightgbm("[[10, 20, 30]]"), rows(cells), { schema })).granted).toEqual([
      true,
      false,
    ]);
  });
});

test("LightGBM writes blanks in names as underscores: such columns are found", async () => {
  const { granted } = await scored(
    lightgbm(JSON.stringify([NAMES]), "home_town"),
    rows(["south", "north"], "home town"),
  );
  expect(granted).toEqual([true, false]);
});

test("LightGBM's own list says whose the names are, and more lists than columns say nothing", async () => {
  const named = async (...given: Parameters<typeof lightgbm>) =>
    (await readModelSource("model.txt", lightgbm(...given))).content.model.categoryNames;
  expect(await named('[["a"],["b"]]', "town", "[categorical_feature: 1,0]")).toEqual([["a"], ["b"]]);
  expect(await named('[["a"],["b"]]')).toBeUndefined();
  expect(await named("null")).toBeUndefined();
  expect(await named("[]")).toBeUndefined();
});

describe("a file that does not name its categories", () => {
  const nameless = xgboost(undefined);
  test("takes the places of the table's levels, and a note says which", async () => {
    const { granted, data } = await scored(nameless, rows(["south", "north", "east"]));
    expect(granted).toEqual([true, false, false]);
    expect(data.notes.filter(({ code }) => code === "levelsByPlace").map(String)).toEqual([
      "town is a category to the model, whose file does not name its categories: its levels are taken in the order of their texts (east = 0, north = 1, south = 2); if the model was trained on others too, list all in this order in a schema (options.schema).",
    ]);
  });

  test("is refused where the model asks for more categories than there are", async () => {
    await expect(scored(nameless, rows(["south", "north"]))).rejects.toThrow(
      "binding: town has 2 levels here (north, south), but the model knows at least 3, and its file does not name them; list all of them in the order of their codes in a schema (options.schema), or give the table it was trained on as well (options.references).",
    );
  });

  test("takes those of a schema, without a note", async () => {
    const schema = {
      features: [
        { name: "town", kind: "categorical", categories: NAMES },
        { name: "income", kind: "numeric" },
      ],
    };
    const { granted, notes } = await scored(nameless, rows(["south", "north"]), { schema });
    expect(granted).toEqual([true, false]);
    expect(notes).not.toContain("levelsByPlace");
  });

  test("names beyond ASCII are cut in the wrong places by XGBoost, so they are none", async () => {
    const cut = xgboost([text(["Köln", "Bonn", "Hamm"]), NUMBERS]);
    const { notes, granted } = await scored(cut, rows(["Köln", "Bonn", "Hamm"]));
    expect(notes).toContain("levelsByPlace");
    expect(granted).toEqual([true, false, false]);
  });
});

test("columns of the references alone are left out, unless the model reads them", async () => {
  const references: Table = {
    names: ["town", "income", "outcome"],
    columns: [[...NAMES], [10, 20, 30], ["yes", "no", "no"]],
    rows: 3,
  };
  const told = await scored(files.LightGBM, references, { beside: rows(["south"]) });
  expect(told.data.schema.features.map(({ name }) => name)).toEqual(["town", "income"]);
  expect(told.data.notes.map(String)).toContain("outcome is left out: the rows to explain do not have it.");
  const bare = { names: ["income"], columns: [[30]], rows: 1 };
  const read = await scored(files.LightGBM, references, { beside: bare });
  expect(read.data.schema.features.map(({ name }) => name)).toEqual(["town", "income"]);
});

test("the index pandas writes into Parquet is not a feature", () => {
  const table: Table = {
    names: ["income", "__index_level_0__"],
    columns: [
      [10, 20],
      [7, 9],
    ],
    rows: 2,
  };
  const { schema } = dataOf({ table: { source: "rows", table }, options: {} });
  expect(schema.features.map(({ name }) => name)).toEqual(["income"]);
});

/** A file of two indicators, the second of which is granted. */
const hot = (first: string, second: string): Uint8Array =>
  new TextEncoder().encode(
    new TextDecoder()
      .decode(lightgbm("null", first))
      .replace("income\nfeature_infos=0:1:2 [0:100]", `${second}\nfeature_infos=[0:1] [0:1]`)
      .replace("num_cat=1", "num_cat=0")
      .replace(
        "split_feature=0\nthreshold=0\ndecision_type=1",
        "split_feature=1\nthreshold=0.5\ndecision_type=2",
      )
      .replace("leaf_value=2 -2\ncat_boundaries=0 1\ncat_threshold=4", "leaf_value=-2 2"),
  );

test("indicators of numbers are found in columns that gaps have turned into 10.0", async () => {
  const { granted, data } = await scored(hot("dept_10", "dept_20"), rows(["20.0", "10.0", null], "dept"));
  expect(granted).toEqual([true, false, false]);
  expect(data.schema.features[0]!.categories).toEqual(["10", "20"]);
});

test("indicators that LightGBM writes with underscores are those of columns and levels with blanks", async () => {
  const bytes = hot("home_town_far_north", "home_town_deep_south");
  const both = await scored(bytes, rows(["deep south", "far north"], "home town"));
  expect(both.granted).toEqual([true, false]);
  expect(both.data.schema.features[0]!.categories).toEqual(["deep south", "far north"]);
  // A level the rows lack is called as the input calls it.
  const one = await scored(bytes, rows(["deep south", "deep south"], "home town"));
  expect(one.granted).toEqual([true, true]);
  expect(one.data.schema.features[0]!.categories).toEqual(["deep south", "far_north"]);
});

describe("columns that no input of the model is named after", () => {
  const wider: Table = {
    names: ["town", "income", "outcome"],
    columns: [[...NAMES], [10, 20, 30], ["a", "b", "a"]],
    rows: 3,
  };
  const unread = async (more: object = {}) => {
    const { data } = await scored(files.LightGBM, wider, more);
    return {
      frozen: data.schema.features.filter(({ immutable }) => immutable).map(({ name }) => name),
      notes: data.notes.filter(({ code }) => code === "unread").map(String),
    };
  };

  test("stay as they are, with a note", async () => {
    expect(await unread()).toEqual({
      frozen: ["outcome"],
      notes: [
        "outcome is not an input of the model, so it stays as it is in every plan; options.exclude leaves it out.",
      ],
    });
  });

  test("but not where a formula may need them, a person opens them, or the model was not asked what it reads", async () => {
    const derived = { constraints: { features: { income: { derived: "2 * 3" } } } };
    expect(await unread(derived)).toEqual({ frozen: [], notes: [] });
    expect((await unread({ constraints: { features: { outcome: { immutable: false } } } })).frozen).toEqual(
      [],
    );
    expect(await unread({ inputs: "all" })).toEqual({ frozen: [], notes: [] });
  });
});
