/** The job that the address of the page names. */
export function jobInAddress(): string | null {
  const id = new URLSearchParams(location.search).get("job");
  return id !== null && /^[0-9a-f-]{36}$/.test(id) ? id : null;
}

export function addressOf(id: string | null): string {
  return id === null ? location.pathname : `?job=${id}`;
}
