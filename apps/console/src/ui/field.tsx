import { type InputHTMLAttributes, type ReactNode, useId } from 'react'

interface Props {
  label: string
  /** What is wrong with it, as the service says. */
  errors?: readonly string[]
  hint?: ReactNode
}

/** A field of a form: its name, itself, and what is wrong with it. */
export function Field({
  label,
  errors = [],
  hint,
  ...input
}: Props & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId()
  const about = `${id}-about`
  const hasMore = errors.length > 0 || hint !== undefined
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        aria-invalid={errors.length > 0 || undefined}
        aria-describedby={hasMore ? about : undefined}
        {...input}
      />
      {hasMore && <About id={about} errors={errors} hint={hint} />}
    </div>
  )
}

/** Below a field of whatever kind. */
export function About({
  id,
  errors,
  hint,
}: {
  id: string
  errors: readonly string[]
  hint?: ReactNode
}) {
  return (
    <div id={id}>
      {errors.map((text) => (
        <p key={text} className="wrong">
          {text}
        </p>
      ))}
      {hint && <p className="hint">{hint}</p>}
    </div>
  )
}
