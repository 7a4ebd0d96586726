import { useEffect, useEffectEvent } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import type { ViewerSettings } from './settings.ts'
import type { useObjects } from './use-objects.ts'
import type { Span } from './viewed-target.ts'

/** Actions by `KeyboardEvent.key`. */
type Bindings = Readonly<Record<string, () => void>>

/** Keys and their descriptions for the help dialog. */
const keyHelp = [
  ['→ or Page Down', 'next frame'],
  ['← or Page Up', 'previous frame'],
  ['Home, End', 'first, last frame'],
  ['g', 'go to a frame by its number'],
  ['← ↑ ↓ → in the image', 'move the image'],
  ['+ and −, or the wheel', 'zoom'],
  ['0', 'fit the image to the window'],
  ['1', 'actual size (100 %)'],
  ['j, k', 'select the next, the previous object'],
  ['Escape', 'clear the selection'],
  ['o', 'outlines on or off'],
  ['[ and ]', 'decrease, increase the opacity'],
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

interface FrameKeyTargets {
  frame: number
  span: Span
  go: (frame: number) => void
  objects: ReturnType<typeof useObjects>
  settings: ViewerSettings
  help: () => void
}

const opacityStep = 0.1

/**
 * Binds the keys of the frame page. The picture has additional keys and handles the arrows while it has the focus.
 */
export function useFrameKeys({ frame, span, go, objects, settings, help }: FrameKeyTargets): void {
  const next = () => go(frame + 1)
  const previous = () => go(frame - 1)
  const { opacity } = settings.pen
  useKeys({
    PageDown: next,
    ArrowRight: next,
    PageUp: previous,
    ArrowLeft: previous,
    Home: () => go(span.first),
    End: () => go(span.last),
    g: () => document.getElementById('frame-number')?.focus(),
    j: () => objects.step(1),
    k: () => objects.step(-1),
    Escape: () => objects.select(undefined),
    o: settings.toggleOutlines,
    '[': () => settings.setOpacity(Math.max(0, opacity - opacityStep)),
    ']': () => settings.setOpacity(Math.min(1, opacity + opacityStep)),
    '?': help,
  })
}

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="pairs">
        {keyHelp.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
