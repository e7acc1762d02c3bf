#!/usr/bin/env node
'use strict';
/*! Licence of the file. */
/** Doc. */
function plain() {
  function nested() {}
  const inner = () => 1, other = async x => { return x };
  const notCode = 1;
  return class Returned { m() {} };
}

// of arrow
export const arrow = async () => {
  return 1;
}; // behind

export default function () {}
const named = function realName() {};
let a = 1, /* of b */ b = 2;
var gen = function* () {};
async function* generator() {}

exports.x = function () {};
module.exports.y = () => {};
module.exports = function () {};
Foo.prototype.bar = function () {};
Foo.Bar.baz = class { m() {} };
this.z = function () {};
window.on['load'] = function () {};

const object = {
  plain() {},
  'in-quotes'() {},
  [computed]() {},
  get v() { return 1; },
  set v(x) {},
  async *many() {},
  arrow: () => {}, // behind
  number: 1,
  deep: {
    fn: function () {},
  },
};
const { d, e: f = 1, ...rest } = object;
for (let i = 0, g = () => {}; i < 1; i++) {}
if (object) {
  var conditional = 1;
  function hoisted() {}
}
(function Iife() {
  function inside() {}
})();
describe('x', () => {
  it('y', function named() {});
});
const C = React.memo(function C(props) {
  const onClick = useCallback(() => { props.x(); }, []);
  return <div onClick={onClick}>{props.items.map((i) => <b key={i}>{i}</b>)}</div>;
});
