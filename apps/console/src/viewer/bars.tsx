import type { ViewerSettings } from './settings.ts'
import type { Span } from './viewed-target.ts'

interface Props {
  frame: number
  span: Span
  onGo: (frame: number) => void
}

export function FrameBar({ frame, span: { first, last }, onGo }: Props) {
  const step = (title: string, to: number, sign: string) => (
    <button
      type="button"
      aria-label={title}
      title={title}
      disabled={to < first || to > last || to === frame}
      onClick={() => onGo(to)}
    >
      {sign}
    </button>
  )
  return (
    <form
      className="frame-bar"
      key={frame}
      onSubmit={(event) => {
        event.preventDefault()
        onGo(Number(new FormData(event.currentTarget).get('frame')))
      }}
    >
      {step('First frame', first, '«')}
      {step('Previous frame', frame - 1, '‹')}
      <label>
        Frame{' '}
        <input
          id="frame-number"
          name="frame"
          type="number"
          min={first}
          max={last}
          defaultValue={frame}
        />
      </label>
      <span className="hint">
        of {first} to {last}
      </span>
      {step('Next frame', frame + 1, '›')}
      {step('Last frame', last, '»')}
    </form>
  )
}

export function AppearanceBar({
  settings,
  onHelp,
}: {
  settings: ViewerSettings
  onHelp: () => void
}) {
  const { pen, quality } = settings
  return (
    <div className="look-bar">
      <label>
        Opacity{' '}
        <input
          type="range"
          min="0"
          max="100"
          step="5"
          value={Math.round(pen.opacity * 100)}
          onChange={({ target }) => settings.setOpacity(target.valueAsNumber / 100)}
        />
      </label>
      <label>
        <input type="checkbox" checked={pen.isOutlined} onChange={settings.toggleOutlines} />{' '}
        Outlines
      </label>
      <label>
        <input
          type="checkbox"
          checked={quality === 'original'}
          onChange={({ target }) => settings.setQuality(target.checked ? 'original' : 'compressed')}
        />{' '}
        Original
      </label>
      <button
        type="button"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={onHelp}
      >
        ?
      </button>
    </div>
  )
}

interface ZoomBarProps {
  scale: number
  /** Zoom factor of one click. */
  step: number
  onZoom: (factor: number) => void
  onFit: () => void
  onFull: () => void
}

export function ZoomBar({ scale, step, onZoom, onFit, onFull }: ZoomBarProps) {
  return (
    <div className="zoom-bar" role="toolbar" aria-label="Zoom">
      <button
        type="button"
        aria-label="Zoom out"
        title="Zoom out (−)"
        onClick={() => onZoom(1 / step)}
      >
        −
      </button>
      <output aria-label="Zoom">{Math.round(scale * 100)} %</output>
      <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => onZoom(step)}>
        +
      </button>
      <button type="button" title="Fit to the window (0)" onClick={onFit}>
        Fit
      </button>
      <button type="button" title="Actual size (1)" onClick={onFull}>
        100 %
      </button>
    </div>
  )
}
