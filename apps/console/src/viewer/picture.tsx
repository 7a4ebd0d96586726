import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { ZoomBar } from './bars.tsx'
import type { Screen } from './drawing/layer.ts'
import { openPainter, type Painter } from './drawing/painter.ts'
import type { Scene } from './drawing/scene.ts'
import type { FrameObject } from './frame/item.ts'
import { lastAt } from './geometry/hit.ts'
import {
  centreView,
  type Dimensions,
  fitView,
  keepInSight,
  moveView,
  type Point,
  toPicture,
  toScreen,
  type View,
  zoomView,
} from './geometry/view.ts'
import { useKeys } from './keys.tsx'
import { useDrag, useWheel } from './pointer.ts'

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

/** Draws a scene on a canvas whenever it changes. */
function usePainter(
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

const unknown: Screen = { width: 1, height: 1, density: 1 }

function useScreen(element: RefObject<HTMLElement | null>): Screen {
  const [screen, setScreen] = useState(unknown)
  useLayoutEffect(() => {
    if (!element.current) return
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return
      const { width, height } = entry.contentRect
      setScreen({
        width: Math.max(1, Math.floor(width)),
        height: Math.max(1, Math.floor(height)),
        density: devicePixelRatio,
      })
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return screen
}

/** Returns the view of the picture: fitted until the user moves it, and again for a picture of another size. */
function useView(size: Dimensions, room: Dimensions) {
  const [kept, keep] = useState<{ view: View; size: Dimensions }>()
  const viewOf = (from: typeof kept) =>
    from?.size.width === size.width && from.size.height === size.height
      ? keepInSight(from.view, size, room)
      : fitView(size, room)
  const change = (to: (view: View) => View) =>
    keep((before) => ({ view: keepInSight(to(viewOf(before)), size, room), size }))
  return {
    view: viewOf(kept),
    move: (by: Point) => change((view) => moveView(view, by)),
    /** Zooms about a screen point; default: the centre. */
    zoom: (factor: number, at: Point = { x: room.width / 2, y: room.height / 2 }) =>
      change((view) => zoomView(view, at, factor)),
    fit: () => keep(undefined),
    /** Shows the picture at 100 %. */
    full: () => keep({ view: centreView(size, room, 1), size }),
  }
}
