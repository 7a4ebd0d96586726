interface Props<W extends string> {
  label: string
  words: readonly W[]
  value: W
  onChoose: (word: W) => void
  isDisabled?: boolean
}

/** Renders a select field for one of several words. */
export function WordChoice<W extends string>(props: Props<W>) {
  const { label, words, value, onChoose, isDisabled = false } = props
  return (
    <select
      aria-label={label}
      value={value}
      disabled={isDisabled}
      onChange={({ target }) => {
        const word = words.find((one) => one === target.value)
        if (word) onChoose(word)
      }}
    >
      {words.map((word) => (
        <option key={word}>{word}</option>
      ))}
    </select>
  )
}
