interface Props {
  scale: number
  /** Zoom factor of one click. */
  step: number
  onZoom: (factor: number) => void
  onFit: () => void
  onFull: () => void
}

/** Shows the zoom, with buttons to change it. */
export function ZoomBar({ scale, step, onZoom, onFit, onFull }: Props) {
  return (
    <div className="zoom-bar" role="toolbar" aria-label="Zoom">
      <button
        type="button"
        aria-label="Smaller"
        title="Smaller (−)"
        onClick={() => onZoom(1 / step)}
      >
        −
      </button>
      <output aria-label="Zoom">{Math.round(scale * 100)} %</output>
      <button type="button" aria-label="Larger" title="Larger (+)" onClick={() => onZoom(step)}>
        +
      </button>
      <button type="button" title="Fit into the window (0)" onClick={onFit}>
        Fit
      </button>
      <button type="button" title="A pixel for a pixel (1)" onClick={onFull}>
        100 %
      </button>
    </div>
  )
}
