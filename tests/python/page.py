"""Reads a page of HTML from standard input and prints what it consists of as JSON. Fails if an element is not closed."""

import html.parser
import json
import sys

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(html.parser.HTMLParser):
    """The elements, attributes and texts of a page."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.texts, self.style = [], [], [], [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [[tag, name, value] for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            sys.exit(f"</{tag}> at {self.getpos()} closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.style += data
        elif data.strip():
            self.texts.append(data)


page = Page()
page.feed(sys.stdin.buffer.read().decode("utf-8"))
page.close()
if page.open:
    sys.exit(f"not closed: {page.open}")
print(json.dumps({"tags": page.tags, "attributes": page.attributes, "texts": page.texts, "style": page.style}))
