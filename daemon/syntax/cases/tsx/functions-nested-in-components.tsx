import React from 'react';

type Props = { title: string; onDone?: () => void };

/** A list. */
export function List({ title, onDone }: Props): JSX.Element {
  const [items, setItems] = useState<string[]>([]);

  // of add
  const add = useCallback((item: string) => {
    setItems((old) => [...old, item]);
  }, []);

  function remove(item: string) {
    const keep = (other: string) => other !== item;
    setItems((old) => old.filter(keep));
  }

  return (
    <ul onClick={() => { function inAttribute() {} }}>
      {/* not a comment of code */}
      {items.map((item) => <li key={item} onClick={() => remove(item)}>{item}</li>)}
    </ul>
  );
}

export const Row: React.FC<Props> = ({ title }) => <b>{title}</b>;
const Plain = React.forwardRef<HTMLDivElement, Props>((props, ref) => {
  const inner = () => 1;
  return <div ref={ref} {...props} />;
});
export default memo(List);
class Old extends React.Component<Props, {}> {
  state = { a: 1 };
  handle = (e: Event) => {};
  render() { return <></>; }
}
