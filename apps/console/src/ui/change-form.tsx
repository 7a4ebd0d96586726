import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure } from './failure.tsx'

interface Props {
  /** Text of the button: `Save`. */
  action: string
  /** Sends the form; rejects with the error of the service. */
  onSend: (form: FormData) => Promise<unknown>
  onDone?: () => void
  children: ReactNode
}

/** Renders a form for a change: fields, errors and a button. */
export function ChangeForm({ action, onSend, onDone, children }: Props) {
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
