import { useEffect } from 'react'

const question = 'Files are still being sent. Leave, and go on with them later?'

/** While files are sent, closing the page asks, and so do the links that lead away from it. */
export function useLeaveGuard(isBusy: boolean): void {
  useEffect(() => {
    if (!isBusy) return
    const ask = (event: Event) => event.preventDefault()
    const askAtLink = (event: MouseEvent) => {
      const link = event.target instanceof Element && event.target.closest('a[href]')
      if (!link || window.confirm(question)) return
      event.preventDefault()
      event.stopPropagation()
    }
    window.addEventListener('beforeunload', ask)
    document.addEventListener('click', askAtLink, true)
    return () => {
      window.removeEventListener('beforeunload', ask)
      document.removeEventListener('click', askAtLink, true)
    }
  }, [isBusy])
}
