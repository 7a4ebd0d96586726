import { type ReactNode, useEffect, useId, useRef } from 'react'

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
