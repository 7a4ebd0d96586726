const modes = [
  ['replace', 'Replace', 'what is there goes; history keeps it'],
  ['append', 'Append', 'what is there stays'],
  ['merge', 'Merge', 'what is there stays, and what is the same comes once'],
] as const

/** Renders a field to choose what happens to existing annotations. */
export function ImportMode() {
  return (
    <fieldset className="options">
      <legend>Annotations that are there</legend>
      {modes.map(([value, name, about], index) => (
        <label key={value}>
          <input type="radio" name="mode" value={value} defaultChecked={index === 0} /> {name}{' '}
          <span className="hint">{about}</span>
        </label>
      ))}
    </fieldset>
  )
}
