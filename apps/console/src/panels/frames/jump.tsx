import { formText } from '../../ui/form-text.ts'

interface Props {
  count: number
  onJump: (number: number) => void
}

/** Renders a form to jump to a frame by its number. */
export function Jump({ count, onJump }: Props) {
  return (
    <form
      className="jump"
      onSubmit={(event) => {
        event.preventDefault()
        onJump(Number(formText(new FormData(event.currentTarget), 'number')))
      }}
    >
      <label>
        Frame{' '}
        <input
          name="number"
          type="number"
          min={0}
          required
          autoComplete="off"
          inputMode="numeric"
        />
      </label>
      <button type="submit">Go</button>
      <span className="hint">{count.toLocaleString()} in all</span>
    </form>
  )
}
