import { pretty } from './pretty.ts'

/** What was sent or answered, laid out; the keyboard scrolls what is long. */
export function Payload({ title, value }: { title: string; value: unknown }) {
  const text = pretty(value)
  return (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <section className="payload" tabIndex={0} aria-label={title}>
        <pre>{text || '(empty)'}</pre>
      </section>
    </>
  )
}
