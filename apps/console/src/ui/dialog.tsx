import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Failure } from './feedback.tsx'
import { Field } from './form.tsx'

interface Props {
  title: string
  onClose: () => void
  children: ReactNode
}

/** Renders a modal dialog. Escape closes it, and the focus returns to its previous element. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  return (
    // the event may arrive after React's strict mode opened the dialog again
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
    >
      <div className="head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="plain" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </div>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
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
export function Confirm({ title, word, children, action, onConfirm, onClose }: ConfirmProps) {
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
