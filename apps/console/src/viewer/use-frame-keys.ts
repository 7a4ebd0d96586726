import { useKeys } from './keys.ts'
import type { ViewerSettings } from './settings.ts'
import type { useObjects } from './use-objects.ts'
import type { Span } from './viewed-target.ts'

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
    ...{ PageDown: next, ArrowRight: next, PageUp: previous, ArrowLeft: previous },
    ...{ Home: () => go(span.first), End: () => go(span.last) },
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
