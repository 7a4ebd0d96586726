import type { Span } from './viewed-target.ts'

interface Props {
  frame: number
  span: Span
  onGo: (frame: number) => void
}

/** Shows the frame number and buttons to other frames. */
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
