import { type InputHTMLAttributes, type ReactNode, useId } from 'react'

interface Props {
  label: string
  /** Errors of the field from the service. */
  errors?: readonly string[]
  hint?: ReactNode
}

/** Renders a form field with label, hint and errors. */
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

/** Renders the hint and errors below a field of any kind. */
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
