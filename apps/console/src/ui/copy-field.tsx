import { useId, useRef, useState } from 'react'

interface Props {
  label: string
  value: string
}

/**
 * Field with a copy button. Where the browser denies access to the clipboard (without TLS), the text is selected to
 * be copied by keyboard.
 */
export function CopyField({ label, value }: Props) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [message, setSaid] = useState('')
  const copy = async () => {
    field.current?.select()
    const isCopied = await navigator.clipboard?.writeText(value).then(
      () => true,
      () => false,
    )
    setSaid(isCopied ? 'Copied.' : 'Selected: copy it with Ctrl+C.')
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="copy">
        <input ref={field} id={id} readOnly value={value} />
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
      </div>
      <p className="hint" role="status">
        {message}
      </p>
    </div>
  )
}
