// of A
@decorated({ of: class Hidden {} })
export class A extends B {
  static count = 0; // behind
  #secret;
  'quoted' = 1
  handler = (event) => {
    this.#secret = event;
  };
  static {
    A.count = 1;
  }
  // of the constructor
  constructor() { super(); }

  /**
   * Doc of m.
   */
  @bound
  async m() {}
  static m() {}
  get v() { return 1 }
  set v(x) {}
  *[Symbol.iterator]() {}
}
class B { }; class C {}
const D = class extends B { m() {} };
export default class extends D {
  render() {}
}
