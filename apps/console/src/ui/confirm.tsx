import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { Failure } from './failure.tsx'
import { Field } from './field.tsx'

interface Props {
  title: string
  /** Word to type for confirmation: the name of the object. */
  word: string
  /** Explanation of the consequences. */
  children: ReactNode
  /** Text of the button: `Delete the project`. */
  action: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Renders a dialog to confirm an action that cannot be undone. */
export function Confirm({ title, word, children, action, onConfirm, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<Error>()
  const [isPending, setIsPending] = useState(false)
  const confirm = async () => {
    setIsPending(true)
    await onConfirm().then(onClose, setError)
    setIsPending(false)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void confirm()
        }}
      >
        {children}
        <Field
          label={`Type “${word}” to confirm`}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          autoComplete="off"
          autoFocus
        />
        {error && <Failure error={error} />}
        <button
          type="submit"
          className="danger"
          disabled={typed.trim() !== word.trim() || isPending}
        >
          {action}
        </button>
      </form>
    </Dialog>
  )
}
