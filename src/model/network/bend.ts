import { type Activation, activated } from "./layers.ts";

/** Lines below and above an activation over one interval: low[0] + low[1]·t ≤ g(t) ≤ high[0] + high[1]·t. */
export class Bends {
  readonly lowStart: Float64Array;
  readonly lowSlope: Float64Array;
  readonly highStart: Float64Array;
  readonly highSlope: Float64Array;
  /** 1 where the lines are apart. */
  readonly open: Uint8Array;
  readonly #activation: Activation;

  constructor(units: number, activation: Activation) {
    this.lowStart = new Float64Array(units);
    this.lowSlope = new Float64Array(units);
    this.highStart = new Float64Array(units);
    this.highSlope = new Float64Array(units);
    this.open = new Uint8Array(units);
    this.#activation = activation;
  }

  /** Lines of unit j over [a, b]. */
  fit(j: number, a: number, b: number): void {
    if (this.#activation === "relu") this.#relu(j, a, b);
    else if (this.#activation === "identity") this.#set(j, 0, 1, 0, 1);
    else this.#curve(j, a, b);
  }

  #set(j: number, lowStart: number, lowSlope: number, highStart: number, highSlope: number): void {
    this.lowStart[j] = lowStart;
    this.lowSlope[j] = lowSlope;
    this.highStart[j] = highStart;
    this.highSlope[j] = highSlope;
    this.open[j] = lowStart === highStart && lowSlope === highSlope ? 0 : 1;
  }

  /** Above: the chord. Below: the nearer of 0 and t, by area. */
  #relu(j: number, a: number, b: number): void {
    if (a >= 0) this.#set(j, 0, 1, 0, 1);
    else if (b <= 0) this.#set(j, 0, 0, 0, 0);
    else {
      const slope = b / (b - a);
      this.#set(j, 0, b > -a ? 1 : 0, -slope * a, slope);
    }
  }

  /**
   * An S that is convex below 0 and concave above: where the interval lies on one side, the chord and the tangent in
   * its middle; else lines through its ends with the least slope in it, which is at an end.
   */
  #curve(j: number, a: number, b: number): void {
    const [ga, gb] = [activated(this.#activation, a), activated(this.#activation, b)];
    if (!(b - a > 1e-9)) this.#set(j, ga, 0, gb, 0);
    else if (a < 0 && b > 0) {
      const slope = Math.min(this.#slope(ga), this.#slope(gb));
      this.#set(j, ga - slope * a, slope, gb - slope * b, slope);
    } else {
      const middle = (a + b) / 2;
      const gm = activated(this.#activation, middle);
      const tangent = this.#slope(gm);
      const chord = (gb - ga) / (b - a);
      const [onTangent, onChord] = [gm - tangent * middle, ga - chord * a];
      if (a >= 0) this.#set(j, onChord, chord, onTangent, tangent);
      else this.#set(j, onTangent, tangent, onChord, chord);
    }
  }

  /** g′ where g is this much. */
  #slope(g: number): number {
    return this.#activation === "tanh" ? 1 - g * g : g * (1 - g);
  }
}
