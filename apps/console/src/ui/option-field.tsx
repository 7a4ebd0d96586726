import { type ReactNode, type SelectHTMLAttributes, useId } from 'react'

interface Props {
  label: string
  /** Values to send, with their labels. */
  options: readonly (readonly [value: string, text: string])[]
  hint?: ReactNode
}

/** Renders a form field with a list of options. */
export function OptionField({
  label,
  options,
  hint,
  ...select
}: Props & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} aria-describedby={hint ? `${id}-hint` : undefined} {...select}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  )
}
