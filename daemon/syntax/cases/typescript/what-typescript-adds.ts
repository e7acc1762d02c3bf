/// <reference types="node" />
import type { X } from './x';

/** Doc. */
@Component({ selector: 'x' })
export class A<T> extends B<T> implements C {
  @Input() @Other() name: string; // behind
  private readonly x?: number = 1;
  declare y: string;
  static #z = 1;
  constructor(private a: number) { super(); }
  // of the getter
  @Hot()
  // between
  get v() { return 1 }
  @Hot() n() {}
  m(a: string): void;
  m(a: number): void;
  m(a: any) {}
  arrow = async <U,>(u: U): Promise<U> => { return u };
}
export abstract class Q {
  abstract q(): void;
  protected abstract y: string;
}
interface I<T> extends J {
  (call: string): void;
  new (x: string): I<T>;
  readonly a?: string; // behind
  m?(): void,
  get g(): string;
  nested: { not: string };
  [key: string]: unknown
}
type Alias = Base & { own: string, other(): void } | { third: 1 };
type Fn = (a: { not: string }) => void;
export enum E { A, B = 2, 'c-d' = 3, }
declare const enum F { G }
declare module "foo/bar" {
  export function f(): void;
  const inside: string;
}
declare global { interface Window { x: string } }
namespace A.B { export const c = 1; const d = 2; }
export namespace N {
  export namespace M { export function f() {} }
}
declare function over(a: string): void;
declare let ambient: string;
export function over(a: string): void;
export function over(a: any) {}
export const a = 1 as const, b = (() => {}) satisfies Fn;
export default { data() {}, methods: { go() {} } } as Options;
let generic = <T,>(x: T) => x;
export = A;
