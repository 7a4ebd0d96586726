import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'

/** Notification at the edge of the window, with an optional undo action. */
export interface Toast {
  text: string
  undo?: () => Promise<unknown>
}

const shownMs = 8000
const Context = createContext<(toast: Toast) => void>(() => undefined)

export const useToast = () => useContext(Context)

export function Toasts({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<(Toast & { id: string })[]>([])
  const { show, drop } = useMemo(() => {
    const drop = (id: string) => setShown((all) => all.filter((one) => one.id !== id))
    const show = (toast: Toast) => {
      const id = crypto.randomUUID?.() ?? String(Math.random())
      setShown((all) => [...all, { ...toast, id }])
      setTimeout(() => drop(id), shownMs)
    }
    return { show, drop }
  }, [])
  return (
    <Context value={show}>
      {children}
      <output className="toasts">
        {shown.map(({ id, text, undo }) => (
          <p key={id}>
            {text}
            {undo && (
              <button
                type="button"
                onClick={() => {
                  drop(id)
                  undo().catch((error: Error) => show({ text: `Undo failed: ${error.message}` }))
                }}
              >
                Undo
              </button>
            )}
          </p>
        ))}
      </output>
    </Context>
  )
}
