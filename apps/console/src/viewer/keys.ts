import { useEffect, useEffectEvent } from 'react'

/** Actions by `KeyboardEvent.key`. */
export type Bindings = Readonly<Record<string, () => void>>

/** Keys and their descriptions for the help dialog. */
export const keyHelp = [
  ['→ or Page Down', 'next frame'],
  ['← or Page Up', 'previous frame'],
  ['Home, End', 'first, last frame'],
  ['g', 'go to a frame by its number'],
  ['← ↑ ↓ → in the picture', 'move the picture'],
  ['+ and −, or the wheel', 'zoom'],
  ['0', 'fit the picture into the window'],
  ['1', 'a pixel for a pixel (100 %)'],
  ['j, k', 'select the next, the previous object'],
  ['Escape', 'select nothing'],
  ['o', 'outlines on or off'],
  ['[ and ]', 'less, more opaque'],
  ['?', 'this help'],
] as const

/** Binds keys of the whole page, except while the user types or another element handles them. */
export function useKeys(bindings: Bindings): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const action = bindings[event.key]
    if (!action || isTaken(event)) return
    event.preventDefault()
    action()
  })
  useEffect(() => {
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true
  if (document.querySelector('dialog[open]')) return true
  const { target } = event
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox'
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement
}
