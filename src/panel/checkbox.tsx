import "./checkbox.css";

export function Checkbox({
  label,
  name,
  checked,
}: {
  readonly label: string;
  readonly name: string;
  readonly checked: boolean;
}) {
  return (
    <label class="check">
      <input type="checkbox" name={name} defaultChecked={checked} /> {label}
    </label>
  );
}
