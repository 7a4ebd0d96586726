import { useRef, useState } from 'react'
import type { Scene } from './drawing/scene.ts'
import type { FrameObject } from './frame/item.ts'
import { lastAt } from './geometry/hit.ts'
import { type Point, toPicture, toScreen } from './geometry/view.ts'
import { useKeys } from './keys.ts'
import { useDrag } from './stage/use-drag.ts'
import { usePainter } from './stage/use-painter.ts'
import { useScreen } from './stage/use-screen.ts'
import { useView } from './stage/use-view.ts'
import { useWheel } from './stage/use-wheel.ts'
import { ZoomBar } from './zoom-bar.tsx'

interface Props {
  /** Name for screen readers. */
  name: string
  /** Whether data is still loading. */
  isBusy: boolean
  scene: Omit<Scene, 'selected' | 'hovered'>
  selected: FrameObject | undefined
  onSelect: (item: FrameObject | undefined) => void
}

/** Distance within which an outline is hit, in CSS pixels. */
const reach = 5
const zoomStep = 1.25
const panStep = 60

/** Renders the picture with its objects, which can be moved, zoomed and pointed at. */
export function Picture({ name, isBusy, scene, selected, onSelect }: Props) {
  const stage = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [hovered, setHovered] = useState<FrameObject>()
  const screen = useScreen(stage)
  const { view, move, zoom, fit, full } = useView(scene.size, screen)
  const isThere = (item: FrameObject | undefined) => item && scene.items.includes(item)
  const pointed = isThere(hovered) ? hovered : undefined
  usePainter(canvas, { ...scene, selected, hovered: pointed }, view, screen)
  useWheel(stage, zoom)
  const hit = (at: Point) => lastAt(scene.items, toPicture(view, at), reach / view.scale)
  const drag = useDrag({
    onMove: move,
    onPoint: (at) => setHovered(at && hit(at)),
    onClick: (at) => onSelect(hit(at)),
  })
  const nearer = () => zoom(zoomStep)
  const farther = () => zoom(1 / zoomStep)
  useKeys({ '+': nearer, '=': nearer, '-': farther, '0': fit, '1': full })
  const corner = pointed && toScreen(view, { x: pointed.box.left, y: pointed.box.top })
  return (
    <div className="picture">
      <div
        ref={stage}
        className="picture-stage"
        role="application"
        aria-label={`${name}: ${scene.items.length} objects`}
        aria-roledescription="picture"
        aria-busy={isBusy}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the picture
        tabIndex={0}
        onKeyDown={(event) => {
          const by = arrows[event.key]
          if (!by) return
          event.preventDefault()
          move(by)
        }}
        {...drag}
      >
        <canvas ref={canvas} />
        {pointed && corner && (
          <p className="tip" style={{ left: corner.x, top: corner.y }}>
            {pointed.label} <small>{pointed.id}</small>
          </p>
        )}
      </div>
      <ZoomBar scale={view.scale} onZoom={zoom} onFit={fit} onFull={full} step={zoomStep} />
    </div>
  )
}

/** The picture moves opposite to the arrow, like a scrolled page. */
const arrows: Readonly<Record<string, Point | undefined>> = {
  ArrowLeft: { x: panStep, y: 0 },
  ArrowRight: { x: -panStep, y: 0 },
  ArrowUp: { x: 0, y: panStep },
  ArrowDown: { x: 0, y: -panStep },
}
