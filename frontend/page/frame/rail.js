// The rail on a phone: a drawer that opens from the header and closes on Escape, on a link and beside it.

class Rail extends HTMLElement {
  connectedCallback() {
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.open) return;
      event.stopPropagation();
      this.toggle(false);
    });
    this.addEventListener(
      "click",
      ({ target }) => target instanceof Element && target.closest("a") && this.toggle(false),
    );
    document.addEventListener("pointerdown", ({ target }) => {
      if (this.open && target instanceof Element && !target.closest("o-rail, .o-menu")) this.toggle(false);
    });
  }

  get open() {
    return this.hasAttribute("data-open");
  }

  toggle(open = !this.open) {
    const button = document.querySelector(".o-menu");
    this.toggleAttribute("data-open", open);
    button.setAttribute("aria-expanded", String(open));
    if (open) (this.querySelector("[aria-current]") ?? this.querySelector("a")).focus();
    else if (this.contains(document.activeElement)) button.focus();
  }
}

customElements.define("o-rail", Rail);
