import { formatJsonText } from './format-json-text.ts'

/** Shows a payload or response, formatted and scrollable by keyboard. */
export function Payload({ title, value }: { title: string; value: unknown }) {
  const text = formatJsonText(value)
  return (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section className="payload" tabIndex={0} aria-label={title}>
        <pre>{text || '(empty)'}</pre>
      </section>
    </>
  )
}
