import type { Feature } from "../../types.ts";
import { tableToMatrix } from "../schema.ts";
import {
  alphabeticalCodes,
  type DataSet,
  fillMedian,
  fromColumns,
  numberColumn,
  textColumn,
} from "./contract.ts";

const COLUMNS = [
  "hotel",
  "lead_time",
  "arrival_date_year",
  "arrival_date_month",
  "arrival_date_week_number",
  "arrival_date_day_of_month",
  "stays_in_weekend_nights",
  "stays_in_week_nights",
  "adults",
  "children",
  "babies",
  "meal",
  "country",
  "market_segment",
  "distribution_channel",
  "is_repeated_guest",
  "previous_cancellations",
  "previous_bookings_not_canceled",
  "reserved_room_type",
  "assigned_room_type",
  "booking_changes",
  "deposit_type",
  "agent",
  "company",
  "days_in_waiting_list",
  "customer_type",
  "adr",
  "required_car_parking_spaces",
  "total_of_special_requests",
];
const TEXT = new Set([
  "hotel",
  "arrival_date_month",
  "meal",
  "country",
  "market_segment",
  "distribution_channel",
  "reserved_room_type",
  "assigned_room_type",
  "deposit_type",
  "customer_type",
]);
/** Identifiers written as numbers; a gap means "not through an agent / company". */
const IDENTIFIERS = new Set(["agent", "company"]);
/** The guest's past and origin are not theirs to change. */
const FIXED = new Set([
  "country",
  "is_repeated_guest",
  "previous_cancellations",
  "previous_bookings_not_canceled",
]);

/** Hotel Bookings, 29 features; `reservation_status` and its date would give the label away and are dropped. */
export const hotel: DataSet = {
  info: {
    name: "hotel",
    title: "Hotel Bookings",
    file: "hotel_bookings.csv",
    bytes: 16_855_599,
    sha256: "7c2ae42a7353905ea136e5c2287f17c92c5435826598bfbb8491c6f0c7b1fc06",
    published: "Antonio, de Almeida, Nunes, Data in Brief 22 (2019) 41-49, doi 10.1016/j.dib.2018.11.126",
    address: "https://doi.org/10.1016/j.dib.2018.11.126",
    terms: "CC BY 4.0",
    rows: 119_390,
  },
  product(table) {
    const columns = COLUMNS.map((name) =>
      textColumn(table, name, IDENTIFIERS.has(name) ? "none" : "Unknown"),
    );
    const features = COLUMNS.map((name, k): Feature => {
      const immutable = FIXED.has(name) ? { immutable: true } : {};
      if (TEXT.has(name) || IDENTIFIERS.has(name)) {
        return { name, kind: "categorical", categories: alphabeticalCodes(columns[k]!).levels, ...immutable };
      }
      if (name === "is_repeated_guest") return { name, kind: "boolean", ...immutable };
      return name === "adr" ? { name, kind: "numeric" } : { name, kind: "integer", min: 0, ...immutable };
    });
    const cells = columns.map((column) => column.map((v) => (v === "Unknown" ? null : v)));
    const schema = { features: features.map((f, k) => withoutUnknown(f, columns[k]!)) };
    return {
      schema,
      rows: tableToMatrix(schema, { names: COLUMNS, columns: cells, rows: table.rows }),
      labels: Int32Array.from(textColumn(table, "is_canceled"), (v) => (v === "0" ? 1 : 0)),
      classes: ["cancelled", "kept"],
    };
  },
  preset(table) {
    const columns = COLUMNS.map((name) =>
      TEXT.has(name)
        ? alphabeticalCodes(textColumn(table, name, "Unknown")).codes
        : fillMedian(numberColumn(table, name)),
    );
    return {
      names: COLUMNS,
      x: fromColumns(columns),
      labels: Int32Array.from(textColumn(table, "is_canceled"), Number),
      standardise: COLUMNS.map((_, k) => k),
      groups: COLUMNS.map((_, k) => [k]),
    };
  },
};

function withoutUnknown(feature: Feature, column: readonly string[]): Feature {
  if (!feature.categories || !column.includes("Unknown")) return feature;
  return { ...feature, categories: feature.categories.filter((level) => level !== "Unknown") };
}
