import { ApiError } from '@reticle/sdk'
import { useMutation } from '@tanstack/react-query'
import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, useId } from 'react'
import { Failure } from './feedback.tsx'

interface Props {
  label: string
  /** Errors of the field from the service. */
  errors?: readonly string[]
  hint?: ReactNode
}

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

interface OptionFieldProps {
  label: string
  /** Values to send, with their labels. */
  options: readonly (readonly [value: string, text: string])[]
  hint?: ReactNode
}

export function OptionField({
  label,
  options,
  hint,
  ...select
}: OptionFieldProps & SelectHTMLAttributes<HTMLSelectElement>) {
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

interface WordChoiceProps<W extends string> {
  label: string
  words: readonly W[]
  value: W
  onChoose: (word: W) => void
  isDisabled?: boolean
}

export function WordChoice<W extends string>(props: WordChoiceProps<W>) {
  const { label, words, value, onChoose, isDisabled = false } = props
  return (
    <select
      aria-label={label}
      value={value}
      disabled={isDisabled}
      onChange={({ target }) => {
        const word = words.find((one) => one === target.value)
        if (word) onChoose(word)
      }}
    >
      {words.map((word) => (
        <option key={word}>{word}</option>
      ))}
    </select>
  )
}

interface ChangeFormProps {
  /** Text of the button: `Save`. */
  action: string
  /** Sends the form; rejects with the error of the service. */
  onSend: (form: FormData) => Promise<unknown>
  onDone?: () => void
  children: ReactNode
}

export function ChangeForm({ action, onSend, onDone, children }: ChangeFormProps) {
  const { mutate, error, isPending } = useMutation({ mutationFn: onSend, onSuccess: onDone })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        mutate(new FormData(event.currentTarget))
      }}
    >
      {children}
      {error && <Failure error={error} />}
      <button type="submit" className="primary" disabled={isPending}>
        {action}
      </button>
    </form>
  )
}

/** Returns the text of a form field; empty if it is missing. */
export function formText(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

/** Returns the errors of the service for one field: `name`, `labels[1].name`. */
export type ErrorsAt = (field: string) => readonly string[]

export function errorsOf(error: Error | null | undefined): ErrorsAt {
  const fields = error instanceof ApiError ? error.fields : {}
  return (field) => fields[field] ?? []
}

/** Returns the errors of fields inside a field. */
export const errorsBelow =
  (errorsAt: ErrorsAt, field: string): ErrorsAt =>
  (inner) =>
    errorsAt(`${field}.${inner}`)
