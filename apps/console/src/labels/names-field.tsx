import { Field } from '../ui/field.tsx'

interface Props {
  typed: string
  errors: readonly string[]
  onType: (typed: string) => void
  /** Called when names are complete; one per line. */
  onEnter: (typed: string) => void
}

/** Renders a field for label names, each ended with Enter; a pasted list becomes one label per line. */
export function NamesField({ typed, errors, onType, onEnter }: Props) {
  return (
    <Field
      label="Add labels"
      placeholder="car"
      value={typed}
      errors={errors}
      hint="Enter after each name, or paste a list with one name a line."
      autoComplete="off"
      enterKeyHint="enter"
      onChange={({ target }) => onType(target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed.trim() === '') return
        event.preventDefault() // the form is submitted only when no name is left to add
        onEnter(typed)
      }}
      onPaste={(event) => {
        const text = event.clipboardData.getData('text')
        if (!text.includes('\n')) return
        event.preventDefault()
        onEnter(`${typed}\n${text}`)
      }}
    />
  )
}
