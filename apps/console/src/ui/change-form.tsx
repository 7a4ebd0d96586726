import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure } from './failure.tsx'

interface Props {
  /** What the button says: `Save`. */
  action: string
  /** Sends what was filled in; refuses with what the service says. */
  onSend: (form: FormData) => Promise<unknown>
  onDone?: () => void
  children: ReactNode
}

/** A form that changes something: its fields, what was wrong with them, its button. */
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
