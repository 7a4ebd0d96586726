import { type RefObject, useEffect, useState } from 'react'
import type { Screen } from '../drawing/layer.ts'
import { openPainter, type Painter } from '../drawing/painter.ts'
import type { Scene } from '../drawing/scene.ts'
import type { View } from '../geometry/view.ts'

/** Draws a scene on a canvas whenever it changes. */
export function usePainter(
  canvas: RefObject<HTMLCanvasElement | null>,
  scene: Scene,
  view: View,
  screen: Screen,
): void {
  const [painter, setPainter] = useState<Painter>()
  useEffect(() => {
    if (!canvas.current) return
    const opened = openPainter(canvas.current)
    setPainter(opened)
    return opened.close
  }, [canvas])
  useEffect(() => painter?.show(scene, view, screen))
}
