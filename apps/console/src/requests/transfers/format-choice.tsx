import type { Format } from '@reticle/sdk'
import { useId } from 'react'

interface Props {
  formats: readonly Format[]
  value: string
  onChange: (name: string) => void
}

export function FormatChoice({ formats, value, onChange }: Props) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>Format</label>
      <select id={id} value={value} required onChange={({ target }) => onChange(target.value)}>
        <option value="" disabled>
          Choose one
        </option>
        {formats.map(({ name, ext }) => (
          <option key={name} value={name}>
            {name} ({ext})
          </option>
        ))}
      </select>
    </div>
  )
}
